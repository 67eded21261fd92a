#include "engine/summaries/opposites.hpp"

#include <gtest/gtest.h>

namespace ctxmgr::engine {
namespace {

struct Case {
  const char* source;
  const char* right;
  const char* wrong;
};

void expect(const Case& c) {
  EXPECT_EQ(turned_around(c.right, c.source), "") << c.right;
  EXPECT_NE(turned_around(c.wrong, c.source), "") << c.wrong;
}

TEST(OppositesTest, ARiseForAFallIsSeenInEveryLanguage) {
  for (const Case& c : {
           Case{"Revenue fell by 12% in the third quarter.", "In the third quarter revenue dropped 12%.",
                "Revenue grew by 12% in the third quarter."},
           Case{"Der Umsatz ist im dritten Quartal um 12 % gesunken.", "Der Umsatz fiel im dritten Quartal um 12 %.",
                "Der Umsatz ist im dritten Quartal um 12 % gestiegen."},
           Case{"Los ingresos aumentaron un 12 % en marzo.", "Los ingresos subieron un 12 % en marzo.",
                "Los ingresos cayeron un 12 % en marzo."},
           Case{"Veniturile au scăzut cu 12 % în martie.", "Veniturile au scăzut în martie cu 12 %.",
                "Veniturile au crescut cu 12 % în martie."},
           Case{"Τα έσοδα αυξήθηκαν κατά 12 % τον Μάρτιο.", "Τα έσοδα αυξήθηκαν τον Μάρτιο κατά 12 %.",
                "Τα έσοδα μειώθηκαν κατά 12 % τον Μάρτιο."},
           Case{"Выручка выросла на 12 % в марте.", "В марте выручка увеличилась на 12 %.",
                "Выручка упала на 12 % в марте."},
           Case{"Gelirler mart ayında yüzde 12 arttı.", "Gelirler mart ayında yüzde 12 yükseldi.",
                "Gelirler mart ayında yüzde 12 azaldı."},
           Case{"Doanh thu tháng ba tăng 12 %.", "Doanh thu tăng 12 % trong tháng ba.",
                "Doanh thu tháng ba giảm 12 %."},
           Case{"ارتفعت الإيرادات بنسبة 12 % في مارس.", "ارتفعت الإيرادات في مارس بنسبة 12 %.",
                "انخفضت الإيرادات بنسبة 12 % في مارس."},
           Case{"मार्च में राजस्व 12 % घटा।", "राजस्व मार्च में 12 % घट गया।", "मार्च में राजस्व 12 % बढ़ा।"},
           Case{"รายได้เดือนมีนาคมเพิ่มขึ้น 12 %", "รายได้เพิ่มขึ้น 12 % ในเดือนมีนาคม", "รายได้เดือนมีนาคมลดลง 12 %"},
           Case{"三月份收入下降了12%。", "收入三月份下降12%。", "三月份收入增长了12%。"},
       })
    expect(c);
}

TEST(OppositesTest, ADroppedOrANewNotIsSeenInEveryLanguage) {
  for (const Case& c : {
           Case{"The council did not approve the bridge plan.", "The council refused to approve the bridge plan.",
                "The council did approve the bridge plan."},
           Case{"The council approved the bridge plan.", "The bridge plan was approved by the council.",
                "The council has not approved the bridge plan."},
           Case{"The replica doesn't accept writes during failover.", "During failover the replica accepts no writes.",
                "The replica accepts writes during failover."},
           Case{"Der Rat hat den Plan für die Brücke nicht genehmigt.",
                "Der Rat hat den Plan für die Brücke nicht genehmigt.",
                "Der Rat hat den Plan für die Brücke genehmigt."},
           Case{"El consejo no aprobó el plan del puente.", "El consejo rechazó y no aprobó el plan del puente.",
                "El consejo aprobó el plan del puente."},
           Case{"Consiliul nu a aprobat planul podului.", "Planul podului nu a fost aprobat.",
                "Consiliul a aprobat planul podului."},
           Case{"Το συμβούλιο δεν ενέκρινε το σχέδιο.", "Το σχέδιο δεν το ενέκρινε το συμβούλιο.",
                "Το συμβούλιο ενέκρινε το σχέδιο."},
           Case{"Совет не одобрил план моста.", "План моста совет не одобрил.", "Совет одобрил план моста."},
           Case{"Meclis köprü planını onaylamadı.", "Köprü planını meclis onaylamadı.",
                "Meclis köprü planını onayladı."},
           Case{"Hội đồng không phê duyệt kế hoạch cầu.", "Hội đồng đã không phê duyệt kế hoạch cầu.",
                "Hội đồng phê duyệt kế hoạch cầu."},
           Case{"لم يوافق المجلس على خطة الجسر.", "المجلس لم يوافق على خطة الجسر.", "وافق المجلس على خطة الجسر."},
           Case{"परिषद ने पुल की योजना मंज़ूर नहीं की।", "पुल की योजना परिषद ने मंज़ूर नहीं की।", "परिषद ने पुल की योजना मंज़ूर की।"},
           Case{"สภาไม่อนุมัติแผนสร้างสะพาน", "แผนสร้างสะพานสภาไม่อนุมัติ", "สภาอนุมัติแผนสร้างสะพาน"},
           Case{"委员会没有批准桥梁计划。", "桥梁计划没有被委员会批准。", "委员会批准了桥梁计划。"},
       })
    expect(c);
}

TEST(OppositesTest, WhatIsSaidOfSomethingElseIsNoOpposite) {
  const char* source =
      "Costs rose by 4% in May. Revenue fell by 12%. The draft was not sent to the board, the final text was.";
  for (const char* summary : {"Revenue fell by 12% while costs rose by 4%.", "In May costs grew by 4%.",
                              "The final text was sent to the board.", "Costs and revenue.", ""})
    EXPECT_EQ(turned_around(summary, source), "") << summary;
}

TEST(OppositesTest, AnyBytesAreRead) {
  EXPECT_EQ(turned_around("\xFF\xFE not \x80", "\xC3 not"), "");
  EXPECT_EQ(turned_around("不", "没"), "");
}

}  // namespace
}  // namespace ctxmgr::engine
