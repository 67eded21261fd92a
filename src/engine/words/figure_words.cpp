#include "engine/words/figure_words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "engine/structure/case_folding.hpp"
#include "engine/words/figure_tokens.hpp"

// English, German, French, Spanish, Italian, Portuguese, Dutch, Romanian, Russian, Greek, Turkish, Vietnamese, Arabic,
// Hindi, Thai; Chinese and Japanese numerals are read by their signs. Folded: in lower case.
namespace ctxmgr::engine {
namespace {

template <class Value>
struct Words {
  Value value;
  std::string_view words;  ///< Separated by single blanks.
};

constexpr std::array number_words = {
    Words<double>{0.5, "half halb halbe halben demi medio media mezzo meia"},
    Words<double>{
        2,
        "two zwei zwo zweimal deux dos due dois duas twee doi două два две двух δύο iki hai اثنان اثنين दो สอง "
        "twice second zweite zweiter zweiten deuxième segundo"},
    Words<double>{3,
                  "three drei trois tres tre três drie trei три трёх трех τρεις τρία üç ba ثلاثة ثلاث तीन สาม third "
                  "dritte dritter dritten troisième tercer tercero terzo третий третья третье третьей третьем τρίτη "
                  "üçüncü thrice"},
    Words<double>{
        4,
        "four vier quatre cuatro quattro quatro patru четыре четырёх четырех τέσσερις τέσσερα dört bốn أربعة أربع "
        "चार สี่ fourth vierte vierter vierten quatrième cuarto quarto четвёртый четвертый"},
    Words<double>{5,
                  "five fünf cinq cinco cinque vijf cinci пять пяти πέντε beş năm خمسة خمس पाँच पांच ห้า fifth fünfte "
                  "cinquième quinto пятый"},
    Words<double>{
        6, "six sechs seis sei zes șase şase шесть шести έξι altı sáu ستة ست छह छः หก sixth sechste sixième sexto"},
    Words<double>{7,
                  "seven sieben sept siete sette sete zeven șapte şapte семь семи επτά εφτά yedi bảy سبعة سبع सात เจ็ด "
                  "seventh siebte septième séptimo"},
    Words<double>{
        8,
        "eight acht huit ocho otto oito opt восемь восьми οκτώ οχτώ sekiz tám ثمانية ثماني आठ แปด eighth achte "
        "huitième octavo"},
    Words<double>{
        9,
        "nine neun neuf nueve nove negen nouă девять девяти εννέα εννιά dokuz chín تسعة تسع नौ เก้า ninth neunte "
        "neuvième noveno"},
    Words<double>{
        10, "ten zehn dix diez dieci dez tien zece десять десяти δέκα on mười عشرة عشر दस สิบ tenth zehnte dixième"},
    Words<double>{11, "eleven elf onze once undici unsprezece одиннадцать ένδεκα έντεκα ग्यारह eleventh"},
    Words<double>{12,
                  "twelve zwölf douze doce dodici doze twaalf doisprezece двенадцать δώδεκα बारह twelfth dozen dutzend "
                  "douzaine docena"},
    Words<double>{13, "thirteen dreizehn treize trece tredici dertien treisprezece тринадцать δεκατρία"},
    Words<double>{14, "fourteen vierzehn quatorze catorce quattordici catorze veertien paisprezece четырнадцать"},
    Words<double>{15, "fifteen fünfzehn quinze quince quindici vijftien cincisprezece пятнадцать δεκαπέντε पंद्रह"},
    Words<double>{16, "sixteen sechzehn seize dieciséis sedici dezesseis zestien șaisprezece шестнадцать"},
    Words<double>{17, "seventeen siebzehn diecisiete diciassette zeventien șaptesprezece семнадцать"},
    Words<double>{18, "eighteen achtzehn dieciocho diciotto achttien optsprezece восемнадцать"},
    Words<double>{19, "nineteen neunzehn diecinueve diciannove negentien nouăsprezece девятнадцать"},
    Words<double>{20,
                  "twenty zwanzig vingt veinte venti vinte twintig douăzeci двадцать είκοσι yirmi عشرون عشرين बीस ยี่สิบ"},
    Words<double>{
        30,
        "thirty dreißig dreissig trente treinta trenta trinta dertig treizeci тридцать τριάντα otuz ثلاثون ثلاثين तीस"},
    Words<double>{
        40,
        "forty vierzig quarante cuarenta quaranta quarenta veertig patruzeci сорок σαράντα kırk أربعون أربعين चालीस"},
    Words<double>{50,
                  "fifty fünfzig cinquante cincuenta cinquanta cinquenta vijftig cincizeci пятьдесят πενήντα elli "
                  "خمسون خمسين पचास"},
    Words<double>{
        60, "sixty sechzig soixante sesenta sessanta sessenta zestig șaizeci шестьдесят εξήντα altmış ستون ستين साठ"},
    Words<double>{70,
                  "seventy siebzig setenta settanta zeventig șaptezeci семьдесят εβδομήντα yetmiş سبعون سبعين सत्तर"},
    Words<double>{
        80, "eighty achtzig ochenta ottanta oitenta tachtig optzeci восемьдесят ογδόντα seksen ثمانون ثمانين अस्सी"},
    Words<double>{90, "ninety neunzig noventa novanta negentig nouăzeci девяносто ενενήντα doksan تسعون تسعين नब्बे"},
};

// Number words of one language that mean something else in another one.
constexpr std::string_view plain_number_words =
    " once on elf sei due tre otto sept dix dos media medio second third fourth fifth sixth segundo quarto quinto "
    "sexto tercer "
    "tercero terzo cuarto hai ba năm opt doi ست عشر عشرة half halb halbe halben demi mezzo meia zweite zweiter zweiten "
    "dritte "
    "dritter dritten vierte vierter vierten deuxième troisième quatrième dozen quince seize treize onze nove dez doze "
    "six ";

constexpr std::array month_words = {
    Words<int>{1,
               "january januar janvier enero gennaio janeiro januari ianuarie январь января январе ιανουάριος "
               "ιανουαρίου ocak يناير जनवरी มกราคม tammikuu tammikuun tammikuuta tammikuussa jan ene"},
    Words<int>{2,
               "february februar février febrero febbraio fevereiro februari februarie февраль февраля феврале "
               "φεβρουάριος φεβρουαρίου şubat فبراير फ़रवरी फरवरी กุมภาพันธ์ helmikuu helmikuun helmikuuta "
               "helmikuussa feb"},
    Words<int>{3,
               "march märz mars marts marzo março maart martie март марта марте μάρτιος μαρτίου mart مارس मार्च "
               "มีนาคม maaliskuu maaliskuun maaliskuuta maaliskuussa mar"},
    Words<int>{4,
               "april avril abril aprile aprilie апрель апреля апреле απρίλιος απριλίου nisan أبريل अप्रैल เมษายน "
               "huhtikuu huhtikuun huhtikuuta huhtikuussa apr abr"},
    Words<int>{5,
               "may mai maj mayo maggio maio mei май мая мае μάιος μαΐου mayıs مايو मई พฤษภาคม toukokuu toukokuun "
               "toukokuuta toukokuussa"},
    Words<int>{6,
               "june juni juin junio giugno junho iunie июнь июня июне ιούνιος ιουνίου haziran يونيو जून มิถุนายน "
               "kesäkuu kesäkuun kesäkuuta kesäkuussa jun"},
    Words<int>{7,
               "july juli juillet julio luglio julho iulie июль июля июле ιούλιος ιουλίου temmuz يوليو जुलाई กรกฎาคม "
               "heinäkuu heinäkuun heinäkuuta heinäkuussa jul"},
    Words<int>{8,
               "august août agosto augustus augusti август августа августе αύγουστος αυγούστου ağustos أغسطس अगस्त "
               "สิงหาคม elokuu elokuun elokuuta elokuussa aug ago"},
    Words<int>{9,
               "september septembre septiembre setiembre settembre setembro septembrie сентябрь сентября сентябре "
               "σεπτέμβριος σεπτεμβρίου eylül سبتمبر सितंबर กันยายน syyskuu syyskuun syyskuuta syyskuussa sep sept"},
    Words<int>{10,
               "october oktober octobre octubre ottobre outubro octombrie октябрь октября октябре οκτώβριος "
               "οκτωβρίου ekim أكتوبر अक्टूबर ตุลาคม lokakuu lokakuun lokakuuta lokakuussa oct okt"},
    Words<int>{11,
               "november novembre noviembre novembro noiembrie ноябрь ноября ноябре νοέμβριος νοεμβρίου kasım نوفمبر "
               "नवंबर พฤศจิกายน marraskuu marraskuun marraskuuta marraskuussa nov"},
    Words<int>{12,
               "december dezember desember décembre diciembre dicembre dezembro decembrie декабрь декабря декабре "
               "δεκέμβριος δεκεμβρίου aralık ديسمبر दिसंबर ธันวาคม joulukuu joulukuun joulukuuta joulukuussa dec dez "
               "dic"},
};
constexpr std::string_view plain_months = " may march mars mai mei mayo mart mar mon ene ago май мая ";

using K = MeasureUnit::Kind;
constexpr std::array unit_words = {
    Words<MeasureUnit>{{K::time, 1e-9}, "ns nanosecond nanoseconds"},
    Words<MeasureUnit>{{K::time, 1e-6}, "µs μs us microsecond microseconds"},
    Words<MeasureUnit>{{K::time, 1e-3},
                       "ms millisecond milliseconds millisekunden millisekunde millisecondes milisegundos msec"},
    Words<MeasureUnit>{
        {K::time, 1},
        "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secunde secondi сек "
        "секунд секунды saniye sn giây ثانية ثوان सेकंड 秒 วินาที δευτερόλεπτα"},
    Words<MeasureUnit>{
        {K::time, 60},
        "min mins minute minutes minuten minuto minutos minuti minut минут минуты минута мин dakika dk phút "
        "دقيقة دقائق मिनट 分钟 นาที λεπτά λεπτών"},
    Words<MeasureUnit>{
        {K::time, 3600},
        "h hr hrs hour hours stunde stunden std heure heures hora horas ore ora oră час часа часов ч saat sa "
        "giờ ساعة ساعات घंटे घंटा 小时 時間 ชั่วโมง ώρες ώρα uur"},
    Words<MeasureUnit>{
        {K::time, 86400},
        "day days tag tage tagen jour jours día días dia dias giorni zile день дня дней gün ngày يوم أيام दिन "
        "ημέρες μέρες dagen daily"},
    Words<MeasureUnit>{
        {K::time, 604800},
        "week weeks woche wochen semaine semaines semana semanas settimane săptămâni неделя недели недель "
        "hafta tuần أسابيع weken weekly"},
    Words<MeasureUnit>{
        {K::time, 2629800},
        "month months monat monate monaten mois mes meses mesi luni месяц месяца месяцев ay tháng أشهر maanden"},
    Words<MeasureUnit>{
        {K::time, 31557600},
        "year years jahr jahre jahren ans année années año años anno anni ano anos год года лет yıl سنوات jaar"},
    Words<MeasureUnit>{{K::mass, 1e-6}, "µg mcg microgram micrograms"},
    Words<MeasureUnit>{{K::mass, 1e-3}, "mg milligram milligrams milligramm miligramos mг мг"},
    Words<MeasureUnit>{{K::mass, 1}, "g gram grams gramm gramme grammes gramos г грамм"},
    Words<MeasureUnit>{{K::mass, 1e3}, "kg kilogram kilograms kilo kilos kilogramm кг килограмм килограммов"},
    Words<MeasureUnit>{{K::mass, 1e6}, "t tonne tonnes tonnen toneladas тонн тонны т"},
    Words<MeasureUnit>{{K::mass, 453.59237}, "lb lbs"},
    Words<MeasureUnit>{{K::length, 1e-3}, "mm millimetre millimetres millimeter millimeters मिमी मिलीमीटर мм"},
    Words<MeasureUnit>{{K::length, 1e-2}, "cm centimetre centimetres centimeter centimeters zentimeter см"},
    Words<MeasureUnit>{{K::length, 1}, "m metre metres meter meters mètre mètres metros м метр метра метров"},
    Words<MeasureUnit>{{K::length, 1e3},
                       "km kilometre kilometres kilometer kilometers kilómetros kilomètres км километров किमी"},
    Words<MeasureUnit>{{K::length, 1609.344}, "mile miles millas meilen mi"},
    Words<MeasureUnit>{{K::length, 0.0254}, "inch inches zoll"},
    Words<MeasureUnit>{{K::length, 0.3048}, "ft foot feet"},
    Words<MeasureUnit>{{K::volume, 1e-3}, "ml millilitre millilitres milliliter milliliters"},
    Words<MeasureUnit>{{K::volume, 1}, "l litre litres liter liters litros"},
    Words<MeasureUnit>{{K::volume, 1e3}, "m³ m3"},
    Words<MeasureUnit>{{K::volume, 1e9}, "hm³ hm3 hectómetros"},
    Words<MeasureUnit>{{K::area, 1}, "m² m2 τ.μ"},
    Words<MeasureUnit>{{K::area, 1e4}, "ha hectare hectares hektar hectáreas"},
    Words<MeasureUnit>{{K::area, 1e6}, "km² km2"},
    Words<MeasureUnit>{{K::bytes, 1}, "byte bytes"},
    Words<MeasureUnit>{{K::bytes, 1e3}, "kb kilobyte kilobytes"},
    Words<MeasureUnit>{{K::bytes, 1e6}, "mb megabyte megabytes"},
    Words<MeasureUnit>{{K::bytes, 1e9}, "gb gigabyte gigabytes"},
    Words<MeasureUnit>{{K::bytes, 1e12}, "tb terabyte terabytes"},
    Words<MeasureUnit>{{K::bytes, 1e15}, "pb petabyte petabytes"},
    Words<MeasureUnit>{{K::bytes, 1024.0}, "kib"},
    Words<MeasureUnit>{{K::bytes, 1048576.0}, "mib"},
    Words<MeasureUnit>{{K::bytes, 1073741824.0}, "gib"},
    Words<MeasureUnit>{{K::power, 1}, "w watt watts"},
    Words<MeasureUnit>{{K::power, 1e3}, "kw kilowatt kilowatts"},
    Words<MeasureUnit>{{K::power, 1e6}, "mw megawatt megawatts"},
    Words<MeasureUnit>{{K::power, 1e9}, "gw gigawatt gigawatts"},
    Words<MeasureUnit>{{K::energy, 1}, "kwh"},
    Words<MeasureUnit>{{K::energy, 1e3}, "mwh"},
    Words<MeasureUnit>{{K::energy, 1e6}, "gwh"},
    Words<MeasureUnit>{{K::temperature, 1}, "°c"},
    Words<MeasureUnit>{{K::temperature, 2}, "°f"},
    Words<MeasureUnit>{{K::percent, 1}, "% percent prozent % pourcent percento percentuali процентов процента процент"},
    Words<MeasureUnit>{{K::dollar, 1}, "$ usd dollar dollars dólares"},
    Words<MeasureUnit>{{K::euro, 1}, "€ eur euro euros евро ευρώ"},
    Words<MeasureUnit>{{K::pound, 1}, "£ gbp pound pounds"},
    Words<MeasureUnit>{{K::yen, 1}, "¥ jpy cny yen yuan 元"},
    Words<MeasureUnit>{{K::franc, 1}, "chf franc francs franken"},
};

constexpr std::array scale_words = {
    Words<double>{1e2, "hundred hundert cent cien ciento"},
    Words<double>{1e3,
                  "k thousand tausend mille mil mila duizend mii тысяч тысячи тысяча тыс bin nghìn ngàn ألف آلاف हज़ार "
                  "हजार 千 χιλιάδες"},
    Words<double>{1e4, "万 萬"},
    Words<double>{1e5, "lakh लाख"},
    Words<double>{1e6,
                  "million millions millionen mio millón millones milione milioni milhão milhões milioane milion "
                  "miljoen миллион миллиона миллионов млн εκατομμύρια εκατ milyon triệu مليون मिलियन ล้าน"},
    Words<double>{1e7, "crore करोड़"},
    Words<double>{1e8, "亿 億"},
    Words<double>{1e9,
                  "billion billions milliarde milliarden mrd milliard milliards miliardo miliardi miliarde миллиард "
                  "миллиарда миллиардов млрд δισεκατομμύρια milyar tỷ مليار अरब bn"},
};

template <class Value>
using Table = std::unordered_map<std::string, Value>;

template <class Value, std::size_t Size>
Table<Value> table_of(const std::array<Words<Value>, Size>& entries) {
  Table<Value> table;
  for (const auto& entry : entries) {
    for (std::size_t at = 0; at <= entry.words.size();) {
      const auto end = std::min(entry.words.find(' ', at), entry.words.size());
      table.emplace(fold_case(entry.words.substr(at, end - at)), entry.value);
      at = end + 1;
    }
  }
  return table;
}

template <class Value>
std::optional<Value> found(const Table<Value>& table, std::string_view word) {
  const auto at = table.find(std::string(word));
  return at == table.end() ? std::nullopt : std::optional<Value>(at->second);
}

bool is_listed(std::string_view list, std::string_view word) {
  return list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

/// "vierundzwanzig": unit and ten in a word, as German and Dutch write them.
std::optional<double> joined_number(const Table<double>& table, std::string_view word) {
  for (const std::string_view joint : {"und", "en"}) {
    for (auto at = word.find(joint, 1); at != std::string_view::npos; at = word.find(joint, at + 1)) {
      const auto head = word.substr(0, at);
      const auto unit = head == "ein" ? std::optional<double>(1) : found(table, head);
      const auto ten = found(table, word.substr(at + joint.size()));
      if (unit && ten && *unit < 10 && *ten >= 20) return *unit + *ten;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<NumberWord> number_word(std::string_view folded) {
  static const auto table = table_of(number_words);
  auto value = found(table, folded);
  if (!value) value = joined_number(table, folded);
  if (!value) return std::nullopt;
  return NumberWord{*value, is_listed(plain_number_words, folded)};
}

int month_of(std::string_view folded) {
  static const auto table = table_of(month_words);
  if (const auto month = found(table, folded)) return *month;
  return 0;
}

bool is_plain_month(std::string_view folded) { return is_listed(plain_months, folded); }

std::optional<MeasureUnit> unit_of(std::string_view text) {
  static const auto table = table_of(unit_words);
  return found(table, text);
}

double scale_of(std::string_view text) {
  static const auto table = table_of(scale_words);
  return found(table, text).value_or(0);
}

}  // namespace ctxmgr::engine
