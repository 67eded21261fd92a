#include "engine/words/figure_words.hpp"

#include "engine/words/word_table.hpp"

// English, German, French, Spanish, Italian, Portuguese, Dutch, Romanian, Russian, Greek, Turkish, Vietnamese, Arabic,
// Hindi, Thai. Folded: in lower case.
namespace ctxmgr::engine {
namespace {

constexpr std::array number_words = {
    Words<std::string_view>{
        "2",
        "two zwei zwo zweimal deux dos due dois duas twee doi două два две двух δύο iki hai اثنان اثنين दो สอง "
        "twice second zweite zweiter zweiten deuxième segundo"},
    Words<std::string_view>{
        "3",
        "three drei trois tres tre três drie trei три трёх трех τρεις τρία üç ba ثلاثة ثلاث तीन สาม third dritte "
        "dritter dritten troisième tercer tercero terzo третий третья третье третьей третьем τρίτη üçüncü thrice"},
    Words<std::string_view>{
        "4",
        "four vier quatre cuatro quattro quatro patru четыре четырёх четырех τέσσερις τέσσερα dört bốn أربعة أربع "
        "चार สี่ fourth vierte vierter vierten quatrième cuarto quarto четвёртый четвертый"},
    Words<std::string_view>{
        "5",
        "five fünf cinq cinco cinque vijf cinci пять пяти πέντε beş năm خمسة خمس पाँच पांच ห้า fifth fünfte "
        "cinquième quinto пятый"},
    Words<std::string_view>{
        "6", "six sechs seis sei zes șase şase шесть шести έξι altı sáu ستة ست छह छः หก sixth sechste sixième sexto"},
    Words<std::string_view>{
        "7",
        "seven sieben sept siete sette sete zeven șapte şapte семь семи επτά εφτά yedi bảy سبعة سبع सात เจ็ด "
        "seventh siebte septième séptimo"},
    Words<std::string_view>{
        "8",
        "eight acht huit ocho otto oito opt восемь восьми οκτώ οχτώ sekiz tám ثمانية ثماني आठ แปด eighth achte "
        "huitième octavo"},
    Words<std::string_view>{
        "9",
        "nine neun neuf nueve nove negen nouă девять девяти εννέα εννιά dokuz chín تسعة تسع नौ เก้า ninth neunte "
        "neuvième noveno"},
    Words<std::string_view>{
        "10", "ten zehn dix diez dieci dez tien zece десять десяти δέκα on mười عشرة عشر दस สิบ tenth zehnte dixième"},
    Words<std::string_view>{"11", "eleven elf onze once undici unsprezece одиннадцать ένδεκα έντεκα ग्यारह eleventh"},
    Words<std::string_view>{
        "12",
        "twelve zwölf douze doce dodici doze twaalf doisprezece двенадцать δώδεκα बारह twelfth dozen dutzend "
        "douzaine docena"},
};

// Number words of one language that mean something else in another one.
constexpr std::string_view plain_number_words =
    " once on elf sei due tre otto sept dix dos second third fourth fifth sixth segundo quarto quinto sexto tercer "
    "tercero terzo cuarto hai ba năm opt doi ست عشر عشرة zweite zweiter zweiten dritte dritter dritten vierte vierter "
    "vierten deuxième troisième quatrième dozen onze nove dez doze six ";

/// A row for each unit; the currencies first. "m" stands in three rows, and is any of them.
constexpr std::array unit_words = {
    std::string_view("$ usd dollar dollars dólares"),
    std::string_view("€ eur euro euros евро ευρώ"),
    std::string_view("£ gbp pound pounds"),
    std::string_view("¥ jpy cny yen yuan 元"),
    std::string_view("chf franc francs franken"),
    std::string_view("k thousand tausend mille mil mila duizend mii тысяч тысячи тысяча тыс bin nghìn ngàn ألف آلاف "
                     "हज़ार हजार 千 χιλιάδες"),
    std::string_view("万 萬"),
    std::string_view("m mn million millions millionen mio millón millones milione milioni milhão milhões milioane "
                     "milion miljoen миллион миллиона миллионов млн εκατομμύρια εκατ milyon triệu مليون मिलियन ล้าน"),
    std::string_view("亿 億"),
    std::string_view("b bn billion billions milliarde milliarden mrd milliard milliards miliardo miliardi miliarde "
                     "миллиард миллиарда миллиардов млрд δισεκατομμύρια milyar tỷ مليار अरब"),
    std::string_view("ms msec millisecond milliseconds millisekunden millisekunde millisecondes milisegundos"),
    std::string_view("s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secunde secondi "
                     "сек секунд секунды saniye sn giây ثانية ثوان सेकंड 秒 วินาที δευτερόλεπτα"),
    std::string_view("m min mins minute minutes minuten minuto minutos minuti minut минут минуты минута мин dakika "
                     "dk phút دقيقة دقائق मिनट 分 นาที λεπτά λεπτών"),
    std::string_view("h hr hrs hour hours stunde stunden std heure heures hora horas ore ora oră час часа часов ч "
                     "saat sa giờ ساعة ساعات घंटे घंटा ชั่วโมง ώρες ώρα uur"),
    std::string_view("d day days tag tage tagen jour jours día días dia dias giorni zile день дня дней gün ngày يوم "
                     "أيام दिन ημέρες μέρες dagen daily"),
    std::string_view("week weeks woche wochen semaine semaines semana semanas settimane săptămâni неделя недели "
                     "недель hafta tuần أسابيع weken weekly"),
    std::string_view("month months monat monate monaten mois mes meses mesi luni месяц месяца месяцев ay tháng أشهر "
                     "maanden"),
    std::string_view("year years jahr jahre jahren ans année années año años anno anni ano anos год года лет yıl "
                     "سنوات jaar"),
    std::string_view("mg milligram milligrams milligramm miligramos mг мг"),
    std::string_view("g gram grams gramm gramme grammes gramos г грамм"),
    std::string_view("kg kilogram kilograms kilo kilos kilogramm кг килограмм килограммов"),
    std::string_view("t tonne tonnes tonnen toneladas тонн тонны т"),
    std::string_view("mm millimetre millimetres millimeter millimeters मिमी मिलीमीटर мм"),
    std::string_view("cm centimetre centimetres centimeter centimeters zentimeter см"),
    std::string_view("m metre metres meter meters mètre mètres metros м метр метра метров"),
    std::string_view("km kilometre kilometres kilometer kilometers kilómetros kilomètres км километров किमी"),
    std::string_view("mi mile miles millas meilen"),
    std::string_view("inch inches zoll"),
    std::string_view("l litre litres liter liters litros"),
    std::string_view("b byte bytes"),
    std::string_view("k kb kilobyte kilobytes"),
    std::string_view("m mb megabyte megabytes"),
    std::string_view("g gb gigabyte gigabytes"),
    std::string_view("t tb terabyte terabytes"),
    std::string_view("pb petabyte petabytes"),
    std::string_view("w watt watts"),
    std::string_view("kw kilowatt kilowatts"),
    std::string_view("mw megawatt megawatts"),
    std::string_view("gw gigawatt gigawatts"),
    std::string_view("kwh"),
    std::string_view("mwh"),
    std::string_view("gwh"),
    std::string_view("°"),
    std::string_view("c celsius"),
    std::string_view("f fahrenheit"),
    std::string_view("% percent prozent % pourcent percento percentuali процентов процента процент"),
};
constexpr std::size_t currencies = 5;

}  // namespace

std::optional<NumberWord> number_word(std::string_view folded) {
  static const auto table = table_of(number_words);
  const auto found = table.find(std::string(folded));
  if (found == table.end()) return std::nullopt;
  const auto listed = " " + std::string(folded) + " ";
  return NumberWord{found->second, plain_number_words.find(listed) != std::string_view::npos};
}

UnitSet units_of(std::string_view folded) {
  static const auto table = [] {
    std::unordered_map<std::string, UnitSet> units;
    for (std::size_t row = 0; row < unit_words.size(); ++row) {
      for (const auto word : words_of(unit_words[row])) units[fold_case(word)] |= UnitSet{1} << row;
    }
    return units;
  }();
  const auto found = table.find(std::string(folded));
  return found == table.end() ? 0 : found->second;
}

bool are_currencies(UnitSet units) { return units != 0 && units < UnitSet{1} << currencies; }

}  // namespace ctxmgr::engine
